// React DOM is CommonJS: it runs when a module first imports it. This module is in the same file, so that it runs in the
// task of that file.
import 'react-dom/client';
