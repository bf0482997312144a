import type { CSSProperties } from 'react';
import classes from './provider-mark.module.css';

/** A hue of a provider's own, the same at every visit; the golden angle keeps those of like names apart. */
const hueOf = (id: string): number =>
  Math.round((Array.from(id).reduce((sum, letter) => sum * 3 + letter.charCodeAt(0), 7) * 137.508) % 360);

/** One Chinese character, or two Latin letters: a third of all names begin with an A. */
const initials = (name: string): string =>
  /^[\p{Script=Han}]/u.test(name) ? name.slice(0, 1) : name.replace(/[^\p{L}\p{N}]/gu, '').slice(0, 2);

interface ProviderMarkProps {
  id: string;
  name: string;
}

/** A provider's initials on a ground of its own colour; logos belong to their owners. */
export function ProviderMark({ id, name }: ProviderMarkProps) {
  const style: CSSProperties & Record<'--mark-hue', number> = { '--mark-hue': hueOf(id) };
  return (
    <span className={classes.mark} style={style} aria-hidden="true">
      {initials(name)}
    </span>
  );
}
