/** The interface is in English. So are its dates, numbers and plurals, in every browser. */
export const LOCALE = 'en-US';
