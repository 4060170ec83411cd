// Ahead of the first paint: the theme that was chosen on this browser (without one the system's holds), and whether
// somebody was signed in (session/signed-in-hint.ts).
try {
  const theme = localStorage.getItem('svc.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  if (localStorage.getItem('svc.signed-in') !== null) document.documentElement.dataset.signedIn = 'yes';
} catch {
  // Storage is switched off: the system's theme holds.
}
