import type { ComponentProps } from 'react';
import classes from './text-button.module.css';

/** The name of a record that opens it: a button that reads like text. A popover's target may add a class of its own. */
export const TextButton = ({ className, ...props }: Omit<ComponentProps<'button'>, 'type'>) => (
  <button type="button" className={[classes.button, className].filter(Boolean).join(' ')} {...props} />
);
