// The script of every page of the documentation: the theme, tabs, copy buttons, the menu.

const root = document.documentElement;
const dark = matchMedia('(prefers-color-scheme: dark)');
const remember = (name, value) => {
  try {
    localStorage.setItem(name, value);
  } catch {
    // Storage is disabled: the choice applies to this page only.
  }
};
const remembered = (name) => {
  try {
    return localStorage.getItem(name);
  } catch {
    return null;
  }
};

/** Announces the shown theme to scripts, which cannot follow the style sheet. */
function showTheme() {
  root.dataset.shown = root.dataset.theme ?? (dark.matches ? 'dark' : 'light');
  document.dispatchEvent(new Event('themeshown'));
}

const button = document.querySelector('.theme');
button.hidden = false;
button.addEventListener('click', () => {
  root.dataset.theme = root.dataset.shown === 'dark' ? 'light' : 'dark';
  remember('svc.theme', root.dataset.theme);
  showTheme();
});
dark.addEventListener('change', showTheme);
showTheme();

// Tabs for the same example in several languages. All groups show the same language.
const LANGUAGE = 'svc.docs.language';
const groups = [...document.querySelectorAll('.examples')].map((group, position) => {
  const panels = [...group.querySelectorAll('.code')];
  const list = document.createElement('div');
  list.className = 'tabs';
  list.setAttribute('role', 'tablist');
  const tabs = panels.map((panel, index) => {
    const tab = document.createElement('button');
    tab.type = 'button';
    tab.textContent = panel.dataset.label;
    tab.id = `tab-${position}-${index}`;
    panel.id = `panel-${position}-${index}`;
    tab.setAttribute('role', 'tab');
    tab.setAttribute('aria-controls', panel.id);
    panel.setAttribute('role', 'tabpanel');
    panel.setAttribute('aria-labelledby', tab.id);
    return tab;
  });
  list.append(...tabs);
  group.prepend(list);
  group.classList.add('tabbed');
  list.addEventListener('click', ({ target }) => choose(target));
  list.addEventListener('keydown', (event) => {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    const next = tabs.at((tabs.indexOf(event.target) + step) % tabs.length);
    choose(next);
    next.focus();
  });
  return { tabs, panels };
});

function choose(tab) {
  if (!(tab instanceof HTMLButtonElement)) return;
  const { top } = tab.getBoundingClientRect();
  show(tab.textContent);
  remember(LANGUAGE, tab.textContent);
  // The heights of groups above may have changed: keep the clicked tab in place.
  scrollBy({ top: tab.getBoundingClientRect().top - top, behavior: 'instant' });
}

function show(label) {
  for (const { tabs, panels } of groups) {
    const found = panels.findIndex((panel) => panel.dataset.label === label);
    const chosen = Math.max(found, 0);
    tabs.forEach((tab, index) => {
      tab.setAttribute('aria-selected', String(index === chosen));
      tab.tabIndex = index === chosen ? 0 : -1;
      panels[index].hidden = index !== chosen;
    });
  }
}
show(remembered(LANGUAGE));

/** Browsers have the clipboard only on secure origins. Elsewhere, and if it is refused, the text is selected at least. */
async function copyText(code) {
  try {
    await navigator.clipboard.writeText(code.textContent);
    return true;
  } catch {
    getSelection().selectAllChildren(code);
    return document.execCommand('copy');
  }
}

for (const block of document.querySelectorAll('.code')) {
  const copy = document.createElement('button');
  copy.type = 'button';
  copy.className = 'copy';
  copy.textContent = 'Copy';
  copy.addEventListener('click', async () => {
    copy.textContent = (await copyText(block.querySelector('code'))) ? 'Copied' : 'Press Ctrl+C';
  });
  copy.addEventListener('blur', () => {
    copy.textContent = 'Copy';
  });
  block.append(copy);
}

const menu = document.querySelector('.menu');
if (menu !== null) {
  const narrow = matchMedia('(max-width: 56rem)');
  const fold = () => {
    menu.open = !narrow.matches;
  };
  narrow.addEventListener('change', fold);
  fold();
}
