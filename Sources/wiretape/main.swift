import WiretapeCommands

