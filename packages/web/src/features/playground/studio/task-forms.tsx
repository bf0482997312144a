import { TextInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { ideaText, studioText as text } from '../base/studio-text.ts';
import { FormFrame, Prompt } from './form-frame.tsx';
import { makeDrawing, makeSong } from './make.ts';
import { usePriceOf } from './price.ts';
import classes from './studio.module.css';
import type { FormProps } from './form-props.ts';

/** A drawing by Midjourney; its parameters are part of the prompt. */
export function DrawingForm({ offer, onMake }: FormProps) {
  const [prompt, setPrompt] = useState('');
  const price = usePriceOf(offer);
  const send = () => onMake(prompt, ({ group }) => makeDrawing({ group, prompt }));
  return (
    <FormFrame action={text.goDrawing} price={price} canSend={prompt.trim() !== ''} onSend={send}>
      <Prompt
        label={text.prompt}
        placeholder={text.promptImage}
        idea={ideaText.drawing}
        value={prompt}
        onChange={setPrompt}
      />
    </FormFrame>
  );
}

export function SongForm({ offer, onMake }: FormProps) {
  const t = useTranslate();
  const [prompt, setPrompt] = useState('');
  const [title, setTitle] = useState('');
  const price = usePriceOf(offer);
  const send = () =>
    onMake(prompt, ({ group }) =>
      makeSong('MUSIC', { group, gpt_description_prompt: prompt, ...(title !== '' && { title }) }),
    );
  return (
    <FormFrame action={text.goSong} price={price} canSend={prompt.trim() !== ''} onSend={send}>
      <Prompt
        label={text.prompt}
        placeholder={text.promptSong}
        idea={ideaText.song}
        value={prompt}
        onChange={setPrompt}
      />
      <div className={classes.fields}>
        <TextInput
          label={t(text.title)}
          value={title}
          maxLength={80}
          onChange={(event) => setTitle(event.currentTarget.value)}
        />
      </div>
    </FormFrame>
  );
}

export function LyricsForm({ offer, onMake }: FormProps) {
  const [prompt, setPrompt] = useState('');
  const price = usePriceOf(offer);
  const send = () => onMake(prompt, ({ group }) => makeSong('LYRICS', { group, prompt }));
  return (
    <FormFrame action={text.goLyrics} price={price} canSend={prompt.trim() !== ''} onSend={send}>
      <Prompt
        label={text.prompt}
        placeholder={text.promptLyrics}
        idea={ideaText.lyrics}
        value={prompt}
        onChange={setPrompt}
      />
    </FormFrame>
  );
}
