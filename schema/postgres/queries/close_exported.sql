close exported
