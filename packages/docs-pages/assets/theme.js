// Sets the theme that was chosen in this browser, before the first paint. Default: the theme of the system.
try {
  const theme = localStorage.getItem('svc.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is disabled: the theme of the system applies.
}
