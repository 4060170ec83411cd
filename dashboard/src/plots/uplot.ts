import 'uplot/dist/uPlot.min.css';

/** What draws the plots, in a chunk of its own: the figures of a page do not wait for it. */
export { default } from 'uplot';
