import { type ModelKind, modelKindOf } from '@tollgate/contract';
import { useQueryClient } from '@tanstack/react-query';
import { ImagePlay, Shapes } from 'lucide-react';
import { type FunctionComponent, useEffect, useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { selfQuery } from '../../../shared/self.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import { studioText as text } from '../base/studio-text.ts';
import type { Offer } from '../settings/use-choice.ts';
import type { FormProps } from './form-props.ts';
import { ImageForm } from './image-form.tsx';
import { SpeechForm } from './speech-form.tsx';
import { DrawingForm, LyricsForm, SongForm } from './task-forms.tsx';
import { VideoForm } from './video-form.tsx';
import { makeDrawing, makeTranscription } from './make.ts';
import classes from './studio.module.css';
import { WorkCard } from './work-card.tsx';
import { type Work, worksOf } from './works.ts';
import { FileInput } from '@mantine/core';
import { FormFrame } from './form-frame.tsx';
import { usePriceOf } from './price.ts';

function TranscriptionForm({ offer, onMake }: FormProps) {
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

const forms: Readonly<Partial<Record<ModelKind, FunctionComponent<FormProps>>>> = {
  image: ImageForm,
  speech: SpeechForm,
  transcription: TranscriptionForm,
  video: VideoForm,
  drawing: DrawingForm,
  song: SongForm,
  lyrics: LyricsForm,
};

interface StudioProps {
  userId: number;
  offer: Offer;
}

/** Images, audio, video and tasks: a form for the kind of the model, and its results. */
export function Studio({ userId, offer }: StudioProps) {
  const t = useTranslate();
  const works = worksOf(userId);
  const list = works.list.use();
  useFreshBalance(list);
  const { model, group } = offer.choice;
  const kind = modelKindOf(model);
  const Form = forms[kind];
  const press = ({ taskId, prompt, group: ofOrigin }: Work, customId: string) => {
    const fields = { group: ofOrigin, taskId, customId };
    works.begin(
      { kind: 'drawing', model: 'mj_imagine', group: ofOrigin, prompt },
      makeDrawing(fields, 'action'),
    );
  };
  return (
    <div className={classes.frame}>
      <div className={classes.column}>
        {Form ? (
          <Form
            key={kind}
            offer={offer}
            onMake={(prompt, makeOf) => works.begin({ kind, model, group, prompt }, makeOf({ model, group }))}
          />
        ) : (
          <EmptyState icon={<Shapes size={22} />} title={t(text.notByHand)} hint={t(text.notByHandHint)} />
        )}
        <section className={classes.list} aria-label={t(text.results)}>
          {list.length === 0 && Form && (
            <EmptyState icon={<ImagePlay size={22} />} title={t(text.emptyTitle)} hint={t(text.emptyHint)} />
          )}
          {list.map((work) => (
            <WorkCard
              key={work.id}
              work={work}
              onRemove={works.remove}
              onAgain={works.again}
              onButton={press}
            />
          ))}
        </section>
      </div>
    </div>
  );
}

/** The balance at the top is refetched after each charge or refund. */
function useFreshBalance(list: readonly Work[]): void {
  const client = useQueryClient();
  const spent = list.reduce((sum, { charged, refunded }) => sum + (charged ?? 0) - refunded, 0);
  useEffect(() => {
    void client.invalidateQueries({ queryKey: selfQuery.queryKey, exact: true });
  }, [client, spent]);
}
