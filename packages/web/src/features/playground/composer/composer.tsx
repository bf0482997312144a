import { ActionIcon, CloseButton, Textarea, Tooltip } from '@mantine/core';
import { ArrowUp, ImagePlus, Square } from 'lucide-react';
import { useRef, useState, type KeyboardEvent } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import classes from './composer.module.css';
import { imageTypes } from './images.ts';
import { composerText as text, text as words } from '../base/text.ts';
import { useImages } from './use-images.ts';

interface ComposerProps {
  /** A model is chosen. */
  ready: boolean;
  isBusy: boolean;
  onSend: (content: string, images: readonly string[]) => void;
  onStop: () => void;
}

/** The message input. The user can prepare the next message during an answer. */
export function Composer({ ready, isBusy, onSend, onStop }: ComposerProps) {
  const t = useTranslate();
  const [draft, setDraft] = useState('');
  const field = useRef<HTMLTextAreaElement>(null);
  const { images, isOver, dropZone, onPaste, add, remove, clear } = useImages();
  const canSend = ready && !isBusy && (draft.trim() !== '' || images.length > 0);

  const send = () => {
    if (!canSend) return;
    onSend(draft.trim(), images);
    setDraft('');
    clear();
    field.current?.focus();
  };
  const onKeyDown = (event: KeyboardEvent) => {
    // An input method in composition uses Enter for itself.
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };

  return (
    <div className={classes.dock}>
      <form
        className={classes.box}
        data-over={isOver || undefined}
        onSubmit={(event) => {
          event.preventDefault();
          send();
        }}
        {...dropZone}
      >
        {isOver && <div className={classes.drop}>{t(text.drop)}</div>}
        <Images images={images} onRemove={remove} />
        <Textarea
          ref={field}
          variant="unstyled"
          aria-label={t(text.field)}
          placeholder={t(text.placeholder)}
          value={draft}
          autosize
          minRows={1}
          maxRows={10}
          data-autofocus
          classNames={{ input: classes.input ?? '' }}
          onChange={(event) => setDraft(event.currentTarget.value)}
          onKeyDown={onKeyDown}
          onPaste={onPaste}
        />
        <div className={classes.foot}>
          <AttachButton onFiles={(files) => void add(files)} />
          <span className={classes.keys}>{t(text.keys)}</span>
          <SendButton isBusy={isBusy} disabled={!canSend} onStop={onStop} />
        </div>
      </form>
    </div>
  );
}

/** Opens the file picker; the file field itself is hidden and not in the tab order. */
function AttachButton({ onFiles }: { onFiles: (files: readonly File[]) => void }) {
  const t = useTranslate();
  const picker = useRef<HTMLInputElement>(null);
  return (
    <>
      <input
        ref={picker}
        type="file"
        accept={imageTypes}
        multiple
        hidden
        tabIndex={-1}
        aria-label={t(text.attach)}
        onChange={(event) => {
          onFiles([...(event.currentTarget.files ?? [])]);
          // The same file may be picked again after it was removed.
          event.currentTarget.value = '';
        }}
      />
      <Tooltip label={t(text.attach)}>
        <ActionIcon size={34} radius="xl" aria-label={t(text.attach)} onClick={() => picker.current?.click()}>
          <ImagePlus size={18} />
        </ActionIcon>
      </Tooltip>
    </>
  );
}

/** The attached images, each with a remove button. */
function Images({ images, onRemove }: { images: readonly string[]; onRemove: (index: number) => void }) {
  const t = useTranslate();
  if (images.length === 0) return null;
  return (
    <div className={classes.images}>
      {images.map((image, index) => (
        <span key={image} className={classes.image}>
          <img src={image} alt={t(words.image, { index: index + 1 })} />
          <CloseButton
            size="xs"
            className={classes.remove}
            aria-label={t(text.removeImage, { index: index + 1 })}
            onClick={() => onRemove(index)}
          />
        </span>
      ))}
    </div>
  );
}

interface SendButtonProps {
  isBusy: boolean;
  disabled: boolean;
  onStop: () => void;
}

/** Sends; during an answer it stops the answer. */
function SendButton({ isBusy, disabled, onStop }: SendButtonProps) {
  const t = useTranslate();
  if (isBusy)
    return (
      <Tooltip label={t(text.stop)}>
        <ActionIcon
          size={34}
          radius="xl"
          variant="filled"
          color="iris"
          aria-label={t(text.stop)}
          onClick={onStop}
        >
          <Square size={13} fill="currentColor" />
        </ActionIcon>
      </Tooltip>
    );
  return (
    <Tooltip label={t(text.send)}>
      <ActionIcon
        type="submit"
        size={34}
        radius="xl"
        variant="filled"
        color="iris"
        aria-label={t(text.send)}
        disabled={disabled}
      >
        <ArrowUp size={18} />
      </ActionIcon>
    </Tooltip>
  );
}
