import 'uplot/dist/uPlot.min.css';

/** The plotting library, in its own chunk: the rest of a page does not wait for it. */
export { default } from 'uplot';
