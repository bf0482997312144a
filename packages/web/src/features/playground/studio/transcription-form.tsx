import { FileInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { studioText as text } from '../base/studio-text.ts';
import { FormFrame } from './form-frame.tsx';
import { makeTranscription } from './make.ts';
import { usePriceOf } from './price.ts';
import type { FormProps } from './form-props.ts';

export function TranscriptionForm({ offer, onMake }: FormProps) {
  const t = useTranslate();
  const [file, setFile] = useState<File | null>(null);
  const price = usePriceOf(offer);
  const send = () => {
    if (file) onMake(file.name, ({ model, group }) => makeTranscription({ model, group }, file));
  };
  return (
    <FormFrame action={text.goTranscription} price={price} canSend={file !== null} onSend={send}>
      <FileInput
        label={t(text.sound)}
        placeholder={t(text.chooseSound)}
        accept="audio/*,video/mp4,video/webm"
        value={file}
        clearable
        clearButtonProps={{ 'aria-label': t(text.remove) }}
        onChange={setFile}
      />
    </FormFrame>
  );
}
