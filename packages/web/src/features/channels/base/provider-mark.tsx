import type { CSSProperties } from 'react';
import classes from './provider-mark.module.css';
import { providerMarks } from './provider-marks.ts';

/** A fixed hue for each provider; the golden angle separates the hues of similar names. */
const hueOf = (id: string): number =>
  Math.round((Array.from(id).reduce((sum, letter) => sum * 3 + letter.charCodeAt(0), 7) * 137.508) % 360);

/** A provider's mark on a background of its own colour. */
export function ProviderMark({ id }: { id: string }) {
  const style: CSSProperties & Record<'--mark-hue', number> = { '--mark-hue': hueOf(id) };
  const drawn = Object.hasOwn(providerMarks, id) ? id : 'custom';
  return (
    <span className={classes.mark} style={style} aria-hidden="true">
      <svg viewBox="0 0 24 24" width="16" height="16">
        <path d={providerMarks[drawn]} />
      </svg>
    </span>
  );
}
