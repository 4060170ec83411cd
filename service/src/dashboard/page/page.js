// The page behind the links: makes the first owner, signs in, accepts an invitation, then says who is signed in.

import { call, element, form, Refusal, show } from './dom.js';

const PASSWORD_HINT = 'At least 10 characters. A few random words are good.';
const email = { name: 'email', label: 'E-mail address' };
const ownName = { name: 'name', label: 'Your name' };
const newPassword = { name: 'password', label: 'Password', input: 'newPassword', hint: PASSWORD_HINT };

const token = new URLSearchParams(location.hash.slice(1)).get('token');
// The token leaves the address bar and the history at once.
history.replaceState(null, '', location.pathname);
const entrance = location.pathname.split('/').at(-1);

const quiet = (text) => element('p', { class: 'quiet' }, text);

async function showPerson() {
  const { user, workspaces } = await call('me');
  const items = workspaces.map(({ name, role, id }) =>
    element(
      'li',
      {},
      element('span', { class: 'name' }, name),
      element('span', { class: 'role' }, role),
      element('code', {}, id),
    ),
  );
  const out = form([], 'Sign out', async () => {
    await call('auth/sign-out', {});
    showSignIn();
  });
  out.classList.add('out');
  show(
    `Signed in as ${user.name}`,
    quiet(user.email),
    element('h2', {}, 'Workspaces'),
    items.length === 0 ? quiet('You are not a member of a workspace yet.') : element('ul', {}, ...items),
    out,
  );
}

function showSignIn(note) {
  show(
    'Sign in',
    ...(note === undefined ? [] : [quiet(note)]),
    form([email, { name: 'password', label: 'Password' }], 'Sign in', async (values) => {
      await call('auth/sign-in/email', values);
      await showPerson();
    }),
  );
}

function showSetUp() {
  const workspace = {
    name: 'workspaceName',
    label: 'Name of the first workspace',
    hint: 'Companies, their records and API keys live in a workspace.',
  };
  show(
    'Set up svc',
    quiet('You become the owner: you make API keys and invite others.'),
    form([ownName, email, newPassword, workspace], 'Set up', async (values) => {
      await call('set-up', { token, ...values });
      await showPerson();
    }),
  );
}

async function showInvitation() {
  const offer = await call('invitations/read', { token });
  const heading = `Join ${offer.workspaceName}`;
  const about = quiet(`${offer.email} is invited as ${offer.role}.`);
  const accept = async (values) => {
    await call('invitations/accept', { token, ...values });
    await showPerson();
  };
  if (!offer.hasAccount) {
    show(heading, about, form([ownName, newPassword], 'Join', accept));
    return;
  }
  const signedIn = await call('me').catch(() => undefined);
  if (signedIn?.user.email === offer.email) {
    show(heading, about, form([], 'Join', accept));
    return;
  }
  show(
    heading,
    about,
    quiet('There is an account for this address. Enter its password to join.'),
    form([{ name: 'password', label: 'Password' }], 'Sign in and join', async ({ password }) => {
      await call('auth/sign-in/email', { email: offer.email, password });
      await accept({});
    }),
  );
}

async function signInByLink() {
  await call('sign-in-link', { token });
  await showPerson();
}

const WITH_TOKEN = { 'set-up': showSetUp, 'sign-in': signInByLink, invitation: showInvitation };

async function start() {
  if (token !== null) {
    await WITH_TOKEN[entrance]();
    return;
  }
  await showPerson().catch((error) => {
    if (!(error instanceof Refusal && error.code === 'not_signed_in')) throw error;
    const missing = entrance !== 'sign-in';
    showSignIn(missing ? 'Open the whole link to continue, or sign in.' : undefined);
  });
}

start().catch((error) => {
  show(
    error instanceof Refusal ? 'This link cannot be used' : 'Something went wrong',
    element('p', { class: 'message', role: 'alert' }, error.message),
    element('p', {}, element('a', { href: 'sign-in' }, 'Go to the sign-in page')),
  );
});
