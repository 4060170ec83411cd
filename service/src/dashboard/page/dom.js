// Building blocks of the page: elements, forms with labels and messages, and the service's endpoints.

/** An element with attributes and children; text children are text, never markup. */
export function element(tag, attributes = {}, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else if (value !== false) made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children);
  return made;
}

/** Shows the view, names the page after its heading, and moves the focus there for those who do not see it. */
export function show(heading, ...content) {
  const title = element('h1', { tabindex: '-1' }, heading);
  document.title = `${heading} · svc`;
  document.querySelector('#view').replaceChildren(title, ...content);
  const first = document.querySelector('#view input');
  (first ?? title).focus();
}

export class Refusal extends Error {
  constructor(status, { code, message }) {
    super(message);
    this.status = status;
    this.code = code;
  }
}

/** Calls an endpoint; throws a Refusal, or an error that says that the service cannot be reached. */
export async function call(path, body) {
  const options = {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify(body),
  };
  const response = await fetch(`api/${path}`, body === undefined ? {} : options).catch(() => {
    throw new Error('The service cannot be reached. Check the connection and try again.');
  });
  const answer = await response.json().catch(() => ({}));
  if (response.ok) return answer;
  throw new Refusal(response.status, answer.error ?? { message: `The service answered ${response.status}.` });
}

const INPUTS = {
  email: { type: 'email', autocomplete: 'username', maxlength: '254' },
  name: { type: 'text', autocomplete: 'name', maxlength: '100' },
  workspaceName: { type: 'text', autocomplete: 'organization', maxlength: '100' },
  password: { type: 'password', autocomplete: 'current-password' },
  newPassword: { type: 'password', autocomplete: 'new-password', minlength: '10', maxlength: '128' },
};

/** One field: `{ name, label, input, hint, value }`; `input` is a key of INPUTS. */
function field({ name, label, input = name, hint, value }) {
  const hintId = `${name}-hint`;
  const attributes = { id: name, name, required: true, ...INPUTS[input] };
  if (value !== undefined) attributes.value = value;
  if (hint !== undefined) attributes['aria-describedby'] = hintId;
  return element(
    'div',
    { class: 'field' },
    element('label', { for: name }, label),
    element('input', attributes),
    ...(hint === undefined ? [] : [element('p', { class: 'hint', id: hintId }, hint)]),
  );
}

/** A form that hands its values to `submit` and shows what goes wrong; nothing that was typed is lost. */
export function form(fields, action, submit) {
  const message = element('p', { class: 'message', role: 'alert', hidden: true });
  const button = element('button', { type: 'submit' }, action);
  const onsubmit = async (event) => {
    event.preventDefault();
    message.hidden = true;
    button.disabled = true;
    try {
      await submit(Object.fromEntries(new FormData(event.target)));
    } catch (error) {
      const named = fields.find(({ name }) => error.message.startsWith(`"${name}" `));
      message.textContent =
        named === undefined ? error.message : error.message.replace(`"${named.name}"`, `“${named.label}”`);
      message.hidden = false;
      (named === undefined ? button : event.target.elements.namedItem(named.name)).focus();
    } finally {
      button.disabled = false;
    }
  };
  return element('form', { onsubmit }, ...fields.map(field), message, button);
}
