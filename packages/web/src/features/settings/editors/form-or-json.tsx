import { SegmentedControl, Skeleton } from '@mantine/core';
import { Suspense, useState, type ReactNode } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { Notice } from '../../../ui/notice.tsx';
import classes from './editors.module.css';
import { text } from './text.ts';
import type { Editor, EditorProps } from './types.ts';

interface FormOrJsonProps extends EditorProps {
  editor: Editor;
  /** The field of the same text as JSON. */
  json: ReactNode;
}

/** A setting as a form, with its JSON one click away. Both edit the same draft. */
export function FormOrJson({ editor, json, ...props }: FormOrJsonProps) {
  const t = useTranslate();
  const [view, setView] = useState('form');
  const { Form } = editor;
  return (
    <>
      <SegmentedControl
        size="xs"
        className={classes.views}
        aria-label={t(text.view)}
        value={view}
        onChange={setView}
        data={[
          { value: 'form', label: t(text.asForm) },
          { value: 'json', label: t(text.asJson) },
        ]}
      />
      {view === 'json' ? (
        json
      ) : editor.reads(props.draft, props.settingKey) ? (
        <Suspense fallback={<Skeleton height={120} />}>
          <Form {...props} />
        </Suspense>
      ) : (
        <Notice tone="warn">{t(text.broken)}</Notice>
      )}
    </>
  );
}
