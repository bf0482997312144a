import { ActionIcon, Button, Textarea, Tooltip } from '@mantine/core';
import { Pencil } from 'lucide-react';
import { memo, useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { CopyButton } from '../../../shared/copy/copy-button.tsx';
import { text } from '../base/text.ts';
import classes from './thread.module.css';
import type { Question } from '../base/types.ts';

interface QuestionProps {
  question: Question;
  /** No answer is running, so the question can be sent again. */
  canAct: boolean;
  /** Above the divider: no longer sent. */
  isForgotten: boolean;
  onResend: (id: number, content: string, images: readonly string[]) => void;
}

export const QuestionView = memo(function QuestionView(props: QuestionProps) {
  const { question, canAct, isForgotten, onResend } = props;
  const t = useTranslate();
  const [editing, setEditing] = useState(false);
  const { id, content, images, lostImages } = question;
  if (editing) {
    return (
      <Editor
        question={question}
        canAct={canAct}
        onCancel={() => setEditing(false)}
        onResend={(changed) => {
          setEditing(false);
          onResend(id, changed, images);
        }}
      />
    );
  }
  return (
    <div className={classes.question} data-forgotten={isForgotten || undefined}>
      {images.length > 0 && (
        <div className={classes.images}>
          {images.map((image, index) => (
            <img key={index} src={image} alt={t(text.image, { index: index + 1 })} />
          ))}
        </div>
      )}
      {lostImages > 0 && <div className={classes.note}>{t(text.lostImages, { count: lostImages })}</div>}
      <div className={classes.words}>
        <div className={classes.acts}>
          {content !== '' && <CopyButton value={content} what={t(text.copyMessage)} />}
          <Tooltip label={t(text.edit)}>
            <ActionIcon
              size="sm"
              aria-label={t(text.edit)}
              disabled={!canAct}
              onClick={() => setEditing(true)}
            >
              <Pencil size={14} />
            </ActionIcon>
          </Tooltip>
        </div>
        {content !== '' && <div className={classes.bubble}>{content}</div>}
      </div>
    </div>
  );
});

interface EditorProps {
  question: Question;
  canAct: boolean;
  onCancel: () => void;
  onResend: (content: string) => void;
}

function Editor({ question, canAct, onCancel, onResend }: EditorProps) {
  const t = useTranslate();
  const [draft, setDraft] = useState(question.content);
  const ready = canAct && (draft.trim() !== '' || question.images.length > 0);
  return (
    <form
      className={classes.editor}
      onSubmit={(event) => {
        event.preventDefault();
        if (ready) onResend(draft.trim());
      }}
      onKeyDown={(event) => {
        if (event.nativeEvent.isComposing) return;
        if (event.key === 'Escape') onCancel();
        if (event.key !== 'Enter' || event.shiftKey || !(event.target instanceof HTMLTextAreaElement)) return;
        event.preventDefault();
        event.currentTarget.requestSubmit();
      }}
    >
      <Textarea
        aria-label={t(text.editField)}
        value={draft}
        autosize
        minRows={2}
        maxRows={14}
        ref={(field) => field?.focus()}
        onChange={(event) => setDraft(event.currentTarget.value)}
      />
      <div className={classes.editorFoot}>
        <span className={classes.note}>{t(text.resendHint)}</span>
        <Button size="xs" variant="default" onClick={onCancel}>
          {t(text.cancel)}
        </Button>
        <Button size="xs" type="submit" disabled={!ready}>
          {t(text.resend)}
        </Button>
      </div>
    </form>
  );
}
