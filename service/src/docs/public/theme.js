// Ahead of the first paint: the theme that was chosen on this browser. Without one the system's holds.
try {
  const theme = localStorage.getItem('svc.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
} catch {
  // Storage is switched off: the system's theme holds.
}
