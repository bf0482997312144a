import classes from './stripes.module.css';

/**
 * A striped bar like that of a toll barrier, the console's one decoration. With a `share` (0 to 1) it shows progress, which
 * the text beside it must say as well.
 */
export function Stripes({ share = 1 }: { share?: number }) {
  return (
    <div className={classes.track} aria-hidden="true">
      <div className={classes.stripes} style={{ width: `${share * 100}%` }} />
    </div>
  );
}
