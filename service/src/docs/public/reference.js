// Starts Scalar over the service's own description of itself. Nothing is asked of another host.

const { document: documentUrl, base } = document.getElementById('content').dataset;
const mount = document.getElementById('reference');

window.Scalar.createApiReference(mount, {
  url: documentUrl,
  // The address that this page was loaded from, which may be another one than the service knows itself by.
  servers: [{ url: location.origin + base }],
  authentication: { preferredSecurityScheme: 'apiKey' },
  persistAuth: false,
  theme: 'none',
  layout: 'modern',
  withDefaultFonts: false,
  forceDarkModeState: document.documentElement.dataset.shown,
  hideDarkModeToggle: true,
  hideClientButton: true,
  showDeveloperTools: 'never',
  telemetry: false,
  agent: { disabled: true },
  mcp: { disabled: true },
  documentDownloadType: 'direct',
  hiddenClients: true,
  defaultOpenFirstTag: true,
  operationTitleSource: 'summary',
  orderSchemaPropertiesBy: 'preserve',
  orderRequiredPropertiesFirst: false,
});

// Scalar's styles follow these classes; a new configuration would not change them.
document.addEventListener('themeshown', () => {
  const dark = document.documentElement.dataset.shown === 'dark';
  document.body.classList.toggle('dark-mode', dark);
  document.body.classList.toggle('light-mode', !dark);
});

// What Scalar draws and a reader of the screen would miss, put right as it is drawn. Each is for those who do not see
// the icon or the heading beside it, and changes nothing that is seen.
const MENDS = {
  // An icon alone.
  'button.scalar-code-copy:not([aria-label])': (copy) => copy.setAttribute('aria-label', 'Copy the code'),
  // Its name has to hold the words on it: who speaks to the page says those.
  'button.show-more[aria-label^="Show all"]': (more) =>
    more.setAttribute('aria-label', `${more.textContent.trim()}: ${more.getAttribute('aria-label')}`),
  // One a response and operation, all of the same name: no landmarks to find the way by.
  '.scalar-card[role="region"]': (card) => card.setAttribute('role', 'group'),
  // On small screens, beside the header of all pages: it leads to the contents.
  '.scalar-app header:not([role])': (header) => {
    header.setAttribute('role', 'none');
    header.parentElement.setAttribute('role', 'navigation');
    header.parentElement.setAttribute('aria-label', 'Contents');
  },
  // The results are below it from the first moment.
  'input[role="combobox"][aria-controls]:not([aria-expanded])': (input) =>
    input.setAttribute('aria-expanded', 'true'),
  // Text is typed there; what it might complete are variables, of which there are none.
  '[contenteditable][role="combobox"]': (field) => {
    field.setAttribute('role', 'textbox');
    field.removeAttribute('aria-autocomplete');
  },
  'button[role="none"]': (button) => button.removeAttribute('role'),
  '.scalar-client section[aria-label^="Notifications"]': (notes) =>
    notes.setAttribute('aria-label', 'Notices of the request'),
  // The answer's body: read, and scrolled by the keyboard.
  '.cm-content[contenteditable="false"]:not([aria-label])': (body) => {
    body.setAttribute('aria-label', 'Body of the answer');
    body.setAttribute('aria-readonly', 'true');
    body.tabIndex = 0;
  },
  // It names what is drawn only once the pointer is there.
  '.scalar-client button[class*="copy-button"][aria-controls]': (copy) =>
    copy.removeAttribute('aria-controls'),
};

/** While a request is tried, the page behind it is out of reach. */
const hideBehind = () => {
  const behind = document.querySelector('main.references-rendered');
  if (behind !== null) behind.inert = document.querySelector('.scalar-client--open') !== null;
};

function mend() {
  for (const [selector, mendOne] of Object.entries(MENDS))
    document.querySelectorAll(selector).forEach(mendOne);
  hideBehind();
}
new MutationObserver(mend).observe(document.body, {
  childList: true,
  subtree: true,
  attributeFilter: ['class', 'role'],
});
mend();
