import classes from './stripes.module.css';

/**
 * The painted bar of a barrier: the one ornament of the house, used where something begins. With a `share` (0 to 1) it
 * is painted as far as that; the words beside it say the same.
 */
export function Stripes({ share = 1 }: { share?: number }) {
  return (
    <div className={classes.track} aria-hidden="true">
      <div className={classes.stripes} style={{ width: `${share * 100}%` }} />
    </div>
  );
}
