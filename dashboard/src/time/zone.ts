/** The viewer's time zone, such as `Europe/Berlin`, in which times are shown. */
export const TIME_ZONE = new Intl.DateTimeFormat().resolvedOptions().timeZone;
