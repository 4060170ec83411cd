// Runs before the first paint. Sets the selected theme (default: that of the system), and whether somebody was signed in
// (session/signed-in-hint.ts).
try {
  const theme = localStorage.getItem('svc.theme');
  if (theme === 'light' || theme === 'dark') document.documentElement.dataset.theme = theme;
  if (localStorage.getItem('svc.signed-in') !== null) document.documentElement.dataset.signedIn = 'yes';
} catch {
  // Storage is switched off. The theme is that of the system.
}
