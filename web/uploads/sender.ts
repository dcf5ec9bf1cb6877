/** The code that the page needs once there is a file to send. */
export { failureOf, notAllowed, refusalOf } from './failures.ts'
export { scaled } from './scale.ts'
export { send } from './send.ts'
