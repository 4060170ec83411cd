// Starts Scalar with the OpenAPI document of this service. It sends no request to another host.

const { document: documentUrl, base } = document.getElementById('content').dataset;
const mount = document.getElementById('reference');

window.Scalar.createApiReference(mount, {
  url: documentUrl,
  // The address of this page, which may differ from the public URL of the service.
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

// Corrections of Scalar's elements for screen readers, applied when an element appears. They change nothing visible.
const CORRECTIONS = {
  // Only an icon.
  'button.scalar-code-copy:not([aria-label])': (copy) => copy.setAttribute('aria-label', 'Copy the code'),
  // Its name must contain its visible text, which people say to speech control.
  'button.show-more[aria-label^="Show all"]': (more) =>
    more.setAttribute('aria-label', `${more.textContent.trim()}: ${more.getAttribute('aria-label')}`),
  // There is one per response, all with the same name, so they are not useful as landmarks.
  '.scalar-card[role="region"]': (card) => card.setAttribute('role', 'group'),
  // On small screens, this second header contains the navigation to the contents.
  '.scalar-app header:not([role])': (header) => {
    header.setAttribute('role', 'none');
    header.parentElement.setAttribute('role', 'navigation');
    header.parentElement.setAttribute('aria-label', 'Contents');
  },
  // The results below it are always shown.
  'input[role="combobox"][aria-controls]:not([aria-expanded])': (input) =>
    input.setAttribute('aria-expanded', 'true'),
  // It completes only variables, and there are none, so it is a plain text field.
  '[contenteditable][role="combobox"]': (field) => {
    field.setAttribute('role', 'textbox');
    field.removeAttribute('aria-autocomplete');
  },
  'button[role="none"]': (button) => button.removeAttribute('role'),
  // It explains why a value is not sent. A button must not have the role of an alert.
  'button[role="alert"]': (button) => button.removeAttribute('role'),
  '.scalar-client section[aria-label^="Notifications"]': (notes) =>
    notes.setAttribute('aria-label', 'Notices of the request'),
  // The body of a response, so that the keyboard can scroll it.
  '.cm-content[contenteditable="false"]:not([aria-label])': (body) => {
    body.setAttribute('aria-label', 'Body of the answer');
    body.setAttribute('aria-readonly', 'true');
    body.tabIndex = 0;
  },
  // It refers to a tooltip that exists only while the pointer is over the button.
  '.scalar-client button[class*="copy-button"][aria-controls]': (copy) =>
    copy.removeAttribute('aria-controls'),
};

/** Makes the page behind the request dialog inert. */
const makeBackgroundInert = () => {
  const behind = document.querySelector('main.references-rendered');
  if (behind !== null) behind.inert = document.querySelector('.scalar-client--open') !== null;
};

function correctAll() {
  for (const [selector, correctOne] of Object.entries(CORRECTIONS))
    document.querySelectorAll(selector).forEach(correctOne);
  makeBackgroundInert();
}
new MutationObserver(correctAll).observe(document.body, {
  childList: true,
  subtree: true,
  attributeFilter: ['class', 'role'],
});
correctAll();
