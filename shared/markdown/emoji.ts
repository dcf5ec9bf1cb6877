/** A short list of common emoji, by the names that people know from other services such as GitHub and chat programs. */
const list =
  '+1 👍 -1 👎 100 💯 airplane ✈️ alarm_clock ⏰ angry 😠 apple 🍎 arrow_down ⬇️ arrow_left ⬅️ arrow_right ➡️ arrow_up ⬆️ art 🎨 baby 👶 balloon 🎈 bar_chart 📊 battery 🔋 beach 🏖️ bee 🐝 beer 🍺 bell 🔔 bike 🚲 birthday 🎂 blue_heart 💙 blush 😊 book 📖 books 📚 boom 💥 brain 🧠 bread 🍞 broken_heart 💔 bug 🐛 building 🏢 bulb 💡 bus 🚌 cake 🍰 calendar 📅 camera 📷 car 🚗 cat 🐱 chart 📈 check ✅ cherry 🍒 christmas 🎄 clap 👏 clipboard 📋 clock 🕒 cloud ☁️ coffee ☕ computer 💻 confetti 🎊 confused 😕 construction 🚧 cookie 🍪 cool 😎 credit_card 💳 cross ❌ crossed_fingers 🤞 crown 👑 cry 😢 dart 🎯 dash 💨 dog 🐶 dollar 💵 door 🚪 dove 🕊️ dragon 🐉 droplet 💧 ear 👂 earth 🌍 egg 🥚 email 📧 exclamation ❗ exploding_head 🤯 eyes 👀 face_palm 🤦 factory 🏭 family 👪 fearful 😨 file_folder 📁 fire 🔥 fish 🐟 flag 🏁 flower 🌸 folded_hands 🙏 football ⚽ fox 🦊 gear ⚙️ ghost 👻 gift 🎁 globe 🌐 green_heart 💚 grin 😁 guitar 🎸 hammer 🔨 handshake 🤝 hash #️⃣ headphones 🎧 heart ❤️ heart_eyes 😍 heavy_check ✔️ heavy_plus ➕ heavy_minus ➖ hello 👋 hospital 🏥 hourglass ⌛ house 🏠 hug 🤗 hundred 💯 icecream 🍦 idea 💡 inbox 📥 info ℹ️ innocent 😇 joy 😂 key 🔑 kiss 😘 label 🏷️ laptop 💻 laughing 😆 leaf 🍃 lemon 🍋 light 💡 link 🔗 lock 🔒 lol 😂 love ❤️ mag 🔍 mailbox 📬 map 🗺️ medal 🏅 mega 📣 memo 📝 microphone 🎤 money 💰 moon 🌙 mountain ⛰️ muscle 💪 music 🎵 new 🆕 newspaper 📰 ok 🆗 ok_hand 👌 orange_heart 🧡 outbox 📤 owl 🦉 package 📦 palm_tree 🌴 paperclip 📎 party 🥳 pause ⏸️ pencil ✏️ people 👥 phone 📱 pin 📌 pizza 🍕 plant 🌱 play ▶️ point_down 👇 point_left 👈 point_right 👉 point_up 👆 poop 💩 printer 🖨️ purple_heart 💜 pushpin 📌 puzzle 🧩 question ❓ rabbit 🐰 rainbow 🌈 raised_hand ✋ recycle ♻️ red_circle 🔴 green_circle 🟢 yellow_circle 🟡 relieved 😌 repeat 🔁 robot 🤖 rocket 🚀 roll_eyes 🙄 rose 🌹 ruler 📏 running 🏃 sad 😞 salute 🫡 scissors ✂️ scream 😱 seedling 🌱 shield 🛡️ ship 🚢 shrug 🤷 skull 💀 sleeping 😴 smile 😄 smirk 😏 snake 🐍 snowflake ❄️ sob 😭 sparkles ✨ speech_balloon 💬 stop 🛑 star ⭐ stars 🌟 stopwatch ⏱️ sun ☀️ sunflower 🌻 surprised 😮 sweat_smile 😅 tada 🎉 taxi 🚕 tea 🍵 telescope 🔭 test_tube 🧪 thinking 🤔 thought 💭 thumbsdown 👎 thumbsup 👍 thunder ⚡ ticket 🎫 tongue 😛 tools 🛠️ train 🚆 trash 🗑️ tree 🌳 trophy 🏆 truck 🚚 turtle 🐢 umbrella ☂️ unicorn 🦄 unlock 🔓 upside_down 🙃 v ✌️ video 📹 warning ⚠️ watch ⌚ wave 👋 white_check_mark ✅ wind 🌬️ wine 🍷 wink 😉 worried 😟 wrench 🔧 writing ✍️ x ❌ yellow_heart 💛 yum 😋 zap ⚡ zzz 💤'

const words = list.split(' ')

/** Pairs of name and emoji, in alphabetical order. */
export const emoji: readonly (readonly [name: string, sign: string])[] = Array.from({ length: words.length / 2 }, (_pair, index) => [
  words[2 * index] ?? '',
  words[2 * index + 1] ?? ''
])

const signs = new Map(emoji)
/** Longest name of an emoji, in UTF-16 units. */
const nameUnitsMax = 24

/** Returns the letters that are typed after a colon at the end of a string. The colon begins the string or follows a space. Undefined if there is none. */
export const typedEmoji = (text: string): string | undefined => /(?:^|[\s(]):([a-z0-9_+-]{1,24})$/.exec(text.slice(-nameUnitsMax - 2))?.[1]

/** Returns the emoji whose name is typed after a colon at the end of a string, and its name. Undefined if there is none. */
export function emojiAtEnd(text: string): { readonly name: string; readonly sign: string } | undefined {
  const name = typedEmoji(text) ?? ''
  const sign = signs.get(name)
  return sign === undefined ? undefined : { name, sign }
}
