import { Autocomplete, NumberInput } from '@mantine/core';
import { useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { ideaText, studioText as text } from '../base/studio-text.ts';
import { FormFrame, Prompt } from './form-frame.tsx';
import { makeSpeech } from './make.ts';
import { usePriceOf } from './price.ts';
import classes from './studio.module.css';
import type { FormProps } from './form-props.ts';

/** OpenAI's voices; other vendors have their own names, which can be typed. */
const voices = ['alloy', 'ash', 'ballad', 'coral', 'echo', 'fable', 'nova', 'onyx', 'sage', 'shimmer'];

export function SpeechForm({ offer, onMake }: FormProps) {
  const t = useTranslate();
  const [input, setInput] = useState('');
  const [voice, setVoice] = useState('alloy');
  const [speed, setSpeed] = useState(1);
  const price = usePriceOf(offer);
  const send = () =>
    onMake(input, (start) => makeSpeech({ ...start, input, voice, ...(speed !== 1 && { speed }) }));
  return (
    <FormFrame
      action={text.goSpeech}
      price={price}
      canSend={input.trim() !== '' && voice.trim() !== ''}
      onSend={send}
    >
      <Prompt
        label={text.spoken}
        placeholder={text.spokenHint}
        idea={ideaText.speech}
        value={input}
        onChange={setInput}
      />
      <div className={classes.fields}>
        <Autocomplete label={t(text.voice)} data={voices} value={voice} onChange={setVoice} />
        <NumberInput
          label={t(text.speed)}
          value={speed}
          min={0.25}
          max={4}
          step={0.25}
          decimalScale={2}
          onChange={(value) => setSpeed(typeof value === 'number' ? value : 1)}
        />
      </div>
    </FormFrame>
  );
}
