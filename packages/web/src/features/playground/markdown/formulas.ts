import katex from 'katex';
import { withFormulas } from './parse.ts';

/**
 * Draws formulas as MathML, which needs neither fonts nor styles and is read aloud as mathematics. A model gets no links,
 * classes or pictures into it (`trust`) and no endless macros (`maxExpand`). Includes KaTeX, so it is loaded with the first
 * formula.
 */
export const htmlWithFormulas = withFormulas((tex, displayMode) =>
  katex
    .renderToString(tex, {
      displayMode,
      output: 'mathml',
      throwOnError: false,
      strict: 'ignore',
      trust: false,
      maxExpand: 1000,
      maxSize: 50,
    })
    // The source, which is no content.
    .replace(/<annotation[\s\S]*?<\/annotation>/g, ''),
);
