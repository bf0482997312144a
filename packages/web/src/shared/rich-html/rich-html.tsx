import DOMPurify, { type Config } from 'dompurify';
import { useMemo } from 'react';

interface RichHtmlProps {
  /** HTML an operator wrote; never trusted, whatever the server already removed. */
  html: string;
  className?: string | undefined;
}

const rules = {
  ALLOWED_URI_REGEXP: /^(?:https?:|mailto:|\/(?!\/)|#)/i,
  FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'iframe', 'svg', 'math'],
  FORBID_ATTR: ['style', 'srcset', 'name', 'id'],
  // Words and sizes of tables, lists and pictures; without this their values would have to be allowed addresses.
  ADD_URI_SAFE_ATTR: ['align', 'start', 'colspan', 'rowspan', 'width', 'height'],
} satisfies Config;

/** Links of an operator's text leave this site in a tab of their own, and tell nothing about where they were found. */
function sanitise(html: string): string {
  const fragment = DOMPurify.sanitize(html, { ...rules, RETURN_DOM_FRAGMENT: true });
  for (const link of fragment.querySelectorAll('a[href]')) {
    link.setAttribute('target', '_blank');
    link.setAttribute('rel', 'noopener noreferrer nofollow');
  }
  const holder = document.createElement('div');
  holder.append(fragment);
  return holder.innerHTML;
}

/** Shows HTML after removing everything that acts. */
export function RichHtml({ html, className }: RichHtmlProps) {
  const clean = useMemo(() => sanitise(html), [html]);
  return <div className={className} dangerouslySetInnerHTML={{ __html: clean }} />;
}
