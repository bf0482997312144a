import type { ReactNode } from 'react';
import classes from './form-drawer.module.css';

interface FormSectionProps {
  title: string;
  children: ReactNode;
}

/** Fields that belong together, under a quiet heading. */
export function FormSection({ title, children }: FormSectionProps) {
  return (
    <fieldset className={classes.section}>
      <legend className={classes.sectionTitle}>{title}</legend>
      {children}
    </fieldset>
  );
}
