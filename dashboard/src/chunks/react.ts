// React DOM runs when a module of its own file imports it. Without this module, that would be the task of the whole program.
import 'react-dom/client';
