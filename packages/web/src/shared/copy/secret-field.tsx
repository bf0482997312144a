import { ActionIcon } from '@mantine/core';
import { Eye, EyeOff } from 'lucide-react';
import { useState } from 'react';
import { useTranslate } from '../../lib/i18n.ts';
import { CopyButton } from './copy-button.tsx';
import classes from './secret-field.module.css';
import { text } from './text.ts';

interface SecretFieldProps {
  label: string;
  value: string;
  /** Not secret: shown without an eye button. */
  open?: boolean;
}

/** The first and last characters of a key, enough to distinguish keys. */
const shorten = (value: string) => `${value.slice(0, 7)}${'•'.repeat(18)}${value.slice(-4)}`;

/** A value to copy. Secrets stay hidden until requested, because screens are shared. */
export function SecretField({ label, value, open = false }: SecretFieldProps) {
  const t = useTranslate();
  const [shown, setShown] = useState(open);
  const Icon = shown ? EyeOff : Eye;
  const eye = t(shown ? text.hide : text.show, { what: label });
  return (
    <div>
      <div className={classes.label}>{label}</div>
      <div className={classes.field}>
        <span className={classes.value}>{shown ? value : shorten(value)}</span>
        {!open && (
          <ActionIcon size="sm" aria-label={eye} title={eye} onClick={() => setShown(!shown)}>
            <Icon size={15} />
          </ActionIcon>
        )}
        <CopyButton value={value} what={label} />
      </div>
    </div>
  );
}
