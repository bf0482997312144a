import { ImageOff, Music, Image as Picture, Video } from 'lucide-react';
import { useState } from 'react';
import { useTranslate } from '../../../lib/i18n.ts';
import { Time } from '../../../shared/date-time/time.tsx';
import { LazyInView } from '../../../shared/lazy/lazy-in-view.tsx';
import { galleryText as text, viewText } from '../base/text.ts';
import { actionLabel } from '../base/labels.ts';
import type { Work } from '../base/work.ts';
import { isOpen } from '../base/queries.ts';
import { Cost } from '../cells/cells.tsx';
import { ProgressRing } from '../cells/progress.tsx';
import classes from './gallery.module.css';

const icons = { picture: Picture, song: Music, video: Video };

/** Title of a work: its song's title, or the prompt. */
function useName({ clips, prompt, action }: Work): string {
  const t = useTranslate();
  return clips[0]?.title || prompt || t(actionLabel(action));
}

/** A work as a card; a click opens it. */
export function Card({ work, onOpen }: { work: Work; onOpen: () => void }) {
  const t = useTranslate();
  const name = useName(work);
  const Icon = icons[work.kind];
  return (
    <li className={classes.card}>
      <div className={classes.picture}>
        <Preview work={work} />
        <span className={classes.kind} title={t(viewText[work.kind])}>
          <Icon size={15} aria-hidden="true" />
        </span>
        <button
          type="button"
          className={classes.open}
          aria-label={t(text.open, { name: name.slice(0, 80) })}
          onClick={onOpen}
        />
      </div>
      <div className={classes.foot}>
        <span className={classes.prompt} title={name}>
          {name}
        </span>
        <span className={classes.facts}>
          <Time at={work.submitTime} relative />
          <Cost quota={work.quota} status={work.status} requestId={work.requestId} />
        </span>
      </div>
    </li>
  );
}

/** The picture, the cover or the first frame; without one, the progress. */
function Preview({ work }: { work: Work }) {
  const t = useTranslate();
  const [broken, setBroken] = useState(false);
  const { picture, video, clips, status, progress, kind } = work;
  const cover = picture || (clips[0]?.cover ?? '');
  if (status === 'FAILURE') return t(viewText.failed);
  if (cover !== '' && !broken)
    return (
      <>
        <img src={cover} alt="" loading="lazy" onError={() => setBroken(true)} />
        {isOpen(work) && <Moving progress={progress} status={status} />}
      </>
    );
  if (isOpen(work)) return <ProgressRing progress={progress} status={status} />;
  if (video !== '' && !broken)
    return (
      <LazyInView height={0} width="100%" ahead={100}>
        <video src={`${video}#t=0.1`} preload="metadata" muted playsInline onError={() => setBroken(true)} />
      </LazyInView>
    );
  return kind === 'song' ? <Music size={30} aria-hidden="true" /> : <ImageOff size={26} aria-hidden="true" />;
}

/** Progress of a drawing with a preview. */
const Moving = (props: Pick<Work, 'progress' | 'status'>) => (
  <span className={classes.moving}>
    <ProgressRing {...props} />
  </span>
);
