import WiretapeCommands

await Wiretape.main()
