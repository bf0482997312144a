import { Button, Textarea } from '@mantine/core';
import { Sparkles } from 'lucide-react';
import type { KeyboardEvent, ReactNode } from 'react';
import { useTranslate, type Text } from '../../../lib/i18n.ts';
import { studioText as text } from '../base/studio-text.ts';
import type { PriceText } from './price.ts';
import classes from './studio.module.css';

interface FormFrameProps {
  /** Label of the button. */
  action: Text;
  canSend: boolean;
  price: PriceText;
  onSend: () => void;
  children: ReactNode;
}

/** The frame of every form: its fields, the price before sending, and the button. */
export function FormFrame({ action, canSend, price, onSend, children }: FormFrameProps) {
  const t = useTranslate();
  const send = () => {
    if (canSend) onSend();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };
  return (
    <form
      className={classes.form}
      onKeyDown={onKeyDown}
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      {children}
      <div className={classes.foot}>
        <span className={classes.price} data-refusal={price.isRefusal || undefined} role="status">
          {price.words !== '' && !price.isRefusal && `${t(text.price)} `}
          {price.isRefusal ? price.words : <strong>{price.words}</strong>}
        </span>
        <span className={classes.keys}>{t(text.keys)}</span>
        <Button type="submit" disabled={!canSend} leftSection={<Sparkles size={15} />}>
          {t(action)}
        </Button>
      </div>
    </form>
  );
}

interface PromptProps {
  label: Text;
  placeholder: Text;
  idea: Text;
  value: string;
  onChange: (value: string) => void;
}

/** The prompt; an example is below it while it is empty. */
export function Prompt({ label, placeholder, idea, value, onChange }: PromptProps) {
  const t = useTranslate();
  return (
    <div>
      <Textarea
        label={t(label)}
        placeholder={t(placeholder)}
        value={value}
        autosize
        minRows={3}
        maxRows={10}
        maxLength={20_000}
        data-autofocus
        onChange={(event) => onChange(event.currentTarget.value)}
      />
      {value === '' && (
        <button type="button" className={classes.idea} onClick={() => onChange(t(idea))}>
          {t(idea)}
        </button>
      )}
    </div>
  );
}
