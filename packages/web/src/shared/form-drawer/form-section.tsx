import type { ReactNode } from 'react';
import classes from './form-drawer.module.css';

interface FormSectionProps {
  title: string;
  children: ReactNode;
}

/** A group of fields under a small heading. */
export function FormSection({ title, children }: FormSectionProps) {
  return (
    <fieldset className={classes.section}>
      <legend className={classes.sectionTitle}>{title}</legend>
      {children}
    </fieldset>
  );
}
