import classes from './stripes.module.css';

/**
 * A striped bar like a toll barrier, the console's only decoration. With a `share` (0 to 1) it shows progress, which the
 * text beside it must contain as well.
 */
export function Stripes({ share = 1 }: { share?: number }) {
  return (
    <div className={classes.track} aria-hidden="true">
      <div className={classes.stripes} style={{ width: `${share * 100}%` }} />
    </div>
  );
}
