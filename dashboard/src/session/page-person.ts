let personId: string | undefined;

/** Sets the person that the page shows. Undefined: nobody is signed in, or somebody else is about to sign in. */
export function setPagePerson(id: string | undefined): void {
  personId = id;
}

/** The header with the person of the page. The service refuses it with `person_changed` if somebody else has signed in. */
export const personHeader = (): Readonly<Record<string, string>> =>
  personId === undefined ? {} : { 'svc-user': personId };
