/** The name with which this person's comments and suggestions are signed. */
import { computed } from '@preact/signals'
import { guestNumber, personName } from './person.ts'

/** The name of an unnamed guest is stored in English, and each page translates it (people.ts). */
export const signature = computed(() => personName.value || (guestNumber.value === undefined ? '' : `Guest ${guestNumber.value}`))
