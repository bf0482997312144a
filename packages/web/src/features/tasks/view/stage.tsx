import { Loader } from '@mantine/core';
import { ImageOff, Music } from 'lucide-react';
import { useState } from 'react';
import { useLanguage, useTranslate } from '../../../lib/i18n.ts';
import { formatNumber } from '../../../lib/format/number-format.ts';
import { EmptyState } from '../../../ui/empty-state.tsx';
import type { Clip } from '../base/media.ts';
import { text, viewText } from '../base/text.ts';
import type { Work } from '../base/work.ts';
import { ProgressBar } from '../cells/progress.tsx';
import classes from './view.module.css';

/** The output in full size, or the known facts while there is none. */
export function Stage({ work }: { work: Work }) {
  const t = useTranslate();
  const [broken, setBroken] = useState('');
  const { picture, video, clips, status } = work;
  const shown = video || picture;
  if (clips.length > 0) return <Songs clips={clips} />;
  if (shown !== '' && broken !== shown)
    return (
      <div className={classes.stage}>
        {video === '' ? (
          <img src={picture} alt={work.prompt || t(viewText.picture)} onError={() => setBroken(picture)} />
        ) : (
          // Videos of models have no captions.
          <video
            src={video}
            poster={picture || undefined}
            controls
            playsInline
            preload="metadata"
            aria-label={work.prompt || t(viewText.video)}
            onError={() => setBroken(video)}
          />
        )}
      </div>
    );
  return (
    <div className={classes.stage}>
      {status === 'FAILURE' ? (
        <EmptyState tone="bad" title={t(viewText.failed)} hint={work.reason} />
      ) : status === 'SUCCESS' ? (
        <EmptyState icon={<ImageOff size={20} />} title={t(viewText.gone)} hint={t(viewText.goneHint)} />
      ) : (
        <EmptyState
          icon={<Loader size={18} />}
          title={t(viewText.waiting)}
          hint={<ProgressBar progress={work.progress} status={status} />}
        />
      )}
    </div>
  );
}

/** The songs of a task, each with its player and lyrics. */
function Songs({ clips }: { clips: readonly Clip[] }) {
  const t = useTranslate();
  const language = useLanguage();
  return (
    <div className={classes.stage}>
      <div className={classes.clips}>
        {clips.map((clip) => (
          <div key={clip.id} className={classes.clip}>
            {clip.cover === '' ? (
              <span className={classes.noCover}>
                <Music size={22} aria-hidden="true" />
              </span>
            ) : (
              <img src={clip.cover} alt="" loading="lazy" />
            )}
            <div className={classes.clipName}>
              {clip.title || t(viewText.untitled)}
              {clip.seconds > 0 && (
                <span style={{ color: 'var(--tg-text-2)', fontWeight: 400 }}>
                  {t(text.seconds, { count: formatNumber(clip.seconds, language) })}
                </span>
              )}
              {clip.audio !== '' && (
                <a href={clip.audio} download target="_blank" rel="noreferrer">
                  {t(viewText.download)}
                </a>
              )}
            </div>
            {clip.audio !== '' && (
              <audio src={clip.audio} controls preload="none" aria-label={clip.title || t(viewText.song)} />
            )}
            {clip.words !== '' && (
              <pre className={classes.words} tabIndex={0} aria-label={t(viewText.lyrics)}>
                {clip.words}
              </pre>
            )}
          </div>
        ))}
      </div>
    </div>
  );
}
