import { FileInput, NumberInput, Select } from '@mantine/core';
import { useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { toast } from '../../../shared/feedback/toast.ts';
import { ideaText, studioText as text } from '../base/studio-text.ts';
import { imageTypes, toDataUrl } from '../composer/images.ts';
import { FormFrame, Prompt } from './form-frame.tsx';
import { makeVideo } from './make.ts';
import { useVideoPrice } from './price.ts';
import classes from './studio.module.css';
import type { FormProps } from './form-props.ts';

const sizes = ['1280x720', '720x1280', '1920x1080', '1080x1920', '1024x1024', '832x480'];
const maxSeconds = 60;

export function VideoForm({ offer, onMake }: FormProps) {
  const t = useTranslate();
  const [prompt, setPrompt] = useState('');
  // The model's default suits every vendor: lengths and sizes differ among vendors.
  const [seconds, setSeconds] = useState<number>();
  const [size, setSize] = useState<string | null>(null);
  const { picture, field } = useFirstPicture();
  const { model, group } = offer.choice;
  const facts = { ...(seconds !== undefined && { seconds }), ...(size !== null && { size }) };
  // The price does not depend on the prompt. With it, each keystroke would refetch the price.
  const price = useVideoPrice({ model, group, prompt: '-', ...facts });
  const send = () =>
    onMake(prompt, (start) =>
      makeVideo({ ...start, prompt, ...facts, ...(picture !== '' && { image: picture }) }),
    );
  return (
    <FormFrame action={text.goVideo} price={price} canSend={prompt.trim() !== ''} onSend={send}>
      <Prompt
        label={text.prompt}
        placeholder={text.promptVideo}
        idea={ideaText.video}
        value={prompt}
        onChange={setPrompt}
      />
      <div className={classes.fields}>
        <NumberInput
          label={t(text.seconds)}
          placeholder={t(text.byModel)}
          value={seconds ?? ''}
          min={1}
          max={maxSeconds}
          allowDecimal={false}
          clampBehavior="strict"
          onChange={(value) => setSeconds(typeof value === 'number' ? value : undefined)}
        />
        <Select
          label={t(text.size)}
          data={sizes}
          value={size}
          clearable
          placeholder={t(text.byModel)}
          onChange={setSize}
        />
        {field}
      </div>
    </FormFrame>
  );
}

/** The first frame of a video, as a data URL; '' for none. */
function useFirstPicture() {
  const t = useTranslate();
  const [file, setFile] = useState<File | null>(null);
  const [picture, setPicture] = useState('');
  const choose = async (chosen: File | null) => {
    setFile(chosen);
    setPicture('');
    if (!chosen) return;
    try {
      setPicture(await toDataUrl(chosen));
    } catch {
      setFile(null);
      toast.bad(t(text.badPicture, { name: chosen.name }));
    }
  };
  const field = (
    <FileInput
      label={t(text.firstPicture)}
      placeholder={t(text.choosePicture)}
      accept={imageTypes}
      value={file}
      clearable
      clearButtonProps={{ 'aria-label': t(text.remove) }}
      onChange={(chosen) => void choose(chosen)}
    />
  );
  return { picture, field };
}
