import DOMPurify, { type Config } from 'dompurify';
import { useMemo } from 'react';

interface RichHtmlProps {
  /** HTML from an operator; never trusted, even if the server sanitised it. */
  html: string;
  className?: string | undefined;
  /** Keeps MathML, the format of formulas. */
  math?: boolean;
}

/**
 * Attributes with words and sizes of tables, lists, pictures and formulas; without this list their values would have to
 * be permitted addresses.
 */
const wordAttributes =
  'align start colspan rowspan width height display mathvariant mathcolor mathbackground mathsize displaystyle scriptlevel ' +
  'stretchy symmetric largeop movablelimits accent accentunder fence separator lspace rspace minsize maxsize depth voffset ' +
  'linethickness columnalign columnspacing columnlines rowspacing rowlines notation tabindex';

const rules = {
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|\/(?!\/)|#)/i,
  FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'iframe', 'svg', 'math'],
  FORBID_ATTR: ['style', 'srcset', 'name', 'id'],
  ADD_URI_SAFE_ATTR: wordAttributes.split(' '),
} satisfies Config;

/** Links in an operator's text open a new tab, and send no referrer. */
function sanitise(html: string, math: boolean): string {
  const forbidden = rules.FORBID_TAGS.filter((tag) => tag !== 'math' || !math);
  const fragment = DOMPurify.sanitize(html, { ...rules, FORBID_TAGS: forbidden, RETURN_DOM_FRAGMENT: true });
  for (const link of fragment.querySelectorAll('a[href]')) {
    link.setAttribute('target', '_blank');
    link.setAttribute('rel', 'noopener noreferrer nofollow');
  }
  const holder = document.createElement('div');
  holder.append(fragment);
  return holder.innerHTML;
}

/** Shows HTML without scripts, forms and other active content. */
export function RichHtml({ html, className, math = false }: RichHtmlProps) {
  const clean = useMemo(() => sanitise(html, math), [html, math]);
  return <div className={className} dangerouslySetInnerHTML={{ __html: clean }} />;
}
