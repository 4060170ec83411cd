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
