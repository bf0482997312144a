import type { CSSProperties } from 'react';
import classes from './provider-mark.module.css';

/** A hue of a provider's own, the same at every visit. */
const hueOf = (id: string): number =>
  Array.from(id).reduce((sum, letter) => (sum * 31 + letter.charCodeAt(0)) % 360, 7);

interface ProviderMarkProps {
  id: string;
  name: string;
}

/** A provider's initial on a ground of its own colour; logos belong to their owners. */
export function ProviderMark({ id, name }: ProviderMarkProps) {
  const style: CSSProperties & Record<'--mark-hue', number> = { '--mark-hue': hueOf(id) };
  return (
    <span className={classes.mark} style={style} aria-hidden="true">
      {name.slice(0, 1).toUpperCase()}
    </span>
  );
}
