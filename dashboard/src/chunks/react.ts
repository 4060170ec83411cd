// React DOM is CommonJS: it runs when a module first imports it. This module is in the same file, so it runs in that file's task.
import 'react-dom/client';
