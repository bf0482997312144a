import classes from './stripes.module.css';

/** The painted bar of a barrier: the one ornament of the house, used where something begins. */
export function Stripes() {
  return <div className={classes.stripes} aria-hidden="true" />;
}
