import type { ComponentProps } from 'react';
import classes from './text-button.module.css';

/** The name of a record that opens it: a button that reads like text. */
export const TextButton = (props: Omit<ComponentProps<'button'>, 'type' | 'className'>) => (
  <button type="button" className={classes.button} {...props} />
);
