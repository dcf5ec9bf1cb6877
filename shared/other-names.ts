/** Names that other services, editors and tools use for the fields of a request, mapped to ours. */
import type { OtherNames } from './nearest.ts'

/** Each field with its other names, in the form of `plainField`. A name means the first of these fields that the request has. */
const names: readonly (readonly [field: string, names: string])[] = [
  ['operations', 'requests updates changes patches edit operation blocks children replaceall insert append insertline insertposition'],
  [
    'edits',
    'requests updates changes patch patches diff edit operation blocks children codeedit oldstring oldstr oldtext newstring newstr'
  ],
  ['edits', 'newtext find replace replacement search old new insert append insertline replaceall command'],
  ['find', 'old oldtext oldstring oldstr original originaltext search searchtext pattern target quoted quotedfilecontent selection'],
  ['find', 'selectedtext findtext textselection quotedtext highlight snippet words phrase anchortext context'],
  ['text', 'new newtext newstring newstr replace replacewith proposal proposed suggestion suggestedtext body value markdown insert'],
  ['body', 'richtext reply note description markdown value msg'],
  ['content', 'text body data md document source children blocks newcontent value html file'],
  ['markdown', 'text body content md'],
  ['operation', 'action method change edittype'],
  ['action', 'event verdict state op operation resolution'],
  ['line', 'linenumber startline lineno row position startlinenumber originalline'],
  ['anchor', 'range start end from to startindex endindex startoffset endoffset offset endline'],
  ['lines', 'start end from to range startline endline offset limit line linerange viewrange linestart lineend'],
  ['section', 'heading headingpath sectiontitle title anchor path'],
  ['label', 'message commitmessage description summary name title'],
  ['note', 'comment reason why explanation message description'],
  ['reason', 'note comment body why message'],
  ['revision', 'version rev target number'],
  ['baseVersion', 'version sha etag rev revision revisionid requiredrevisionid writecontrol ifmatch expectedversion parentversion base'],
  ['version', 'rev revision revisionid at ref sha etag'],
  ['commentId', 'id comment threadid thread'],
  ['suggestionId', 'id suggestion'],
  ['replyId', 'id reply'],
  ['taskId', 'id task'],
  ['title', 'name subject heading filename properties'],
  ['instructions', 'body prompt text details task content'],
  ['summary', 'body text report message result comment'],
  ['role', 'permission permissions access accesslevel accessrole scope rights'],
  ['expiresAt', 'ttl expiresin expiry expiration expirationtime maxage validuntil until'],
  ['since', 'cursor after from lastid lasteventid lastseq starting'],
  ['before', 'cursor startcursor pagetoken page offset after nextcursor'],
  ['after', 'cursor startcursor pagetoken page offset nextcursor'],
  ['limit', 'perpage pagesize count size max maxresults first top n take'],
  ['wait', 'timeout poll longpoll block waitseconds'],
  ['types', 'type kinds kind event events eventtypes'],
  ['q', 'query term text search keyword keywords pattern find words'],
  ['query', 'q term text search keyword'],
  ['published', 'visibility public ispublic visible'],
  ['requestId', 'id idempotencykey clientid clientrequestid'],
  ['status', 'state filter'],
  ['resolved', 'isresolved state done closed'],
  ['suggestionIds', 'suggestions changeids'],
  ['dryRun', 'simulate check validate validateonly test'],
  ['mode', 'suggesting tracked trackchanges propose'],
  ['author', 'user username agent actor authorname createdby'],
  ['exact', 'casesensitive matchcase'],
  ['view', 'format part'],
  ['doc', 'id docid documentid documenturl document url link uri share shareurl file pageid'],
  ['key', 'token apikey sharekey secret accesstoken']
]

/** Returns the fields that a name of another interface can mean, the most likely first. */
export const otherFieldNames: OtherNames = (name) => names.filter(([, words]) => words.split(' ').includes(name)).map(([field]) => field)

/** Values of other services, mapped to ours. */
const values: Readonly<Record<string, string>> = {
  view: 'read reader viewer readonly pull guest',
  comment: 'commenter reviewer triage',
  suggest: 'suggester suggestions suggestion proposal propose',
  edit: 'editor write writer push contributor readwrite rw',
  owner: 'admin maintainer organizer',
  accept: 'approve approved apply merge yes',
  reject: 'dismiss decline deny requestchanges rejecting no',
  insert: 'add create append',
  delete: 'remove cut',
  replace: 'change update edit modify substitute',
  open: 'unresolved active',
  resolved: 'closed done complete',
  pending: 'open active proposed'
}

/** Returns the known value that was probably meant by an unknown value. */
export const valueMeant = (written: string, known: readonly string[]): string | undefined => {
  const said = written.slice(0, 40).toLowerCase().replaceAll(/[_ -]/g, '')
  return known.find((value) => values[value]?.split(' ').includes(said) === true)
}
