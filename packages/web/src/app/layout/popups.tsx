import { useTranslate } from '../../lib/i18n.ts';
import { text } from '../text.ts';

/**
 * The portal of lists, menus and tooltips. They are in no part of the page, so it is a landmark of its own, which `base.css`
 * hides while nothing is open. It is never unmounted: an open list without its portal would not show.
 */
export function Popups() {
  const t = useTranslate();
  return <section id="popups" aria-label={t(text.popups)} />;
}
