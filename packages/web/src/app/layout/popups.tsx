import { useTranslate } from '../../lib/i18n.ts';
import { text } from '../text.ts';

/**
 * Where lists, menus and tooltips are drawn. They hang in no part of the page, so this is a landmark of its own;
 * `base.css` takes it away while nothing is open. It outlives every page: a list without its place would not show.
 */
export function Popups() {
  const t = useTranslate();
  return <section id="popups" aria-label={t(text.popups)} />;
}
