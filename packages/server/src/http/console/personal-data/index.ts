import { personalDataApi } from '@tollgate/contract';
import type { PersonalData } from '../../../services/upkeep/personal-data/index.ts';
import { actorOf } from '../../context.ts';
import { implement, type MountedRoute } from '../../implement.ts';

/** The export of a person's data: one's own, and for root anybody's. */
export const personalDataRoutes = (personalData: PersonalData): MountedRoute[] =>
  implement(personalDataApi, {
    own: ({ part, after }, context) => personalData.page({ userId: actorOf(context).id, part, after }),
    of: ({ id, part, after }) => personalData.pageForRoot({ userId: id, part, after }),
  });
