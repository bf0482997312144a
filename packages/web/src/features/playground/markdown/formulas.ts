import katex from 'katex';
import { withFormulas } from './parse.ts';

/**
 * Draws formulas as MathML, which needs neither fonts nor styles and is read aloud as mathematics. A model can insert no
 * links, classes or pictures (`trust`) and no endless macros (`maxExpand`). Includes KaTeX, so it loads with the first
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
    // The TeX source, which is not content.
    .replace(/<annotation[\s\S]*?<\/annotation>/g, '')
    // Long formulas scroll, so they must be focusable for the arrow keys.
    .replace('display="block"', 'display="block" tabindex="0"'),
);
