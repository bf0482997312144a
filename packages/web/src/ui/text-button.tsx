import type { ComponentProps } from 'react';
import classes from './text-button.module.css';

/** A record's name that opens it: a button that looks like text. A popover's target may add its own class. */
export const TextButton = ({ className, ...props }: Omit<ComponentProps<'button'>, 'type'>) => (
  <button type="button" className={[classes.button, className].filter(Boolean).join(' ')} {...props} />
);
