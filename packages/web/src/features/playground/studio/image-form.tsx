import { NumberInput, Select } from '@mantine/core';
import { useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { ideaText, studioText as text } from '../base/studio-text.ts';
import { FormFrame, Prompt } from './form-frame.tsx';
import { makeImages } from './make.ts';
import { imagesFactor, usePriceOf } from './price.ts';
import classes from './studio.module.css';
import type { FormProps } from './form-props.ts';

const sizes = ['1024x1024', '1024x1536', '1536x1024', '1024x1792', '1792x1024', '512x512', '256x256'];
const qualities = ['standard', 'hd', 'low', 'medium', 'high'];
const maxImages = 10;

export function ImageForm({ offer, onMake }: FormProps) {
  const t = useTranslate();
  const [prompt, setPrompt] = useState('');
  const [size, setSize] = useState('1024x1024');
  const [quality, setQuality] = useState<string | null>(null);
  const [count, setCount] = useState(1);
  const price = usePriceOf(offer, imagesFactor(offer.price, size, quality ?? '', count));
  const send = () =>
    onMake(prompt, (start) =>
      makeImages({ ...start, prompt, size, n: count, ...(quality !== null && { quality }) }),
    );
  return (
    <FormFrame action={text.goImage} price={price} canSend={prompt.trim() !== ''} onSend={send}>
      <Prompt
        label={text.prompt}
        placeholder={text.promptImage}
        idea={ideaText.image}
        value={prompt}
        onChange={setPrompt}
      />
      <div className={classes.fields}>
        <Select
          label={t(text.size)}
          data={sizes}
          value={size}
          allowDeselect={false}
          onChange={(value) => setSize(value ?? size)}
        />
        <Select
          label={t(text.quality)}
          data={qualities}
          value={quality}
          clearable
          placeholder={t(text.byModel)}
          onChange={setQuality}
        />
        <NumberInput
          label={t(text.count)}
          value={count}
          min={1}
          max={maxImages}
          allowDecimal={false}
          clampBehavior="strict"
          onChange={(value) => setCount(typeof value === 'number' ? value : 1)}
        />
      </div>
    </FormFrame>
  );
}
